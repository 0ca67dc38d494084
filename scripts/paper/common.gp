# What the charts share.
set terminal svg size 960,480 dynamic font "sans-serif,14" background "white"
set datafile separator comma
set grid lc rgb "#dddddd" lt 1 lw 0.5
set border lc rgb "#444444"
set key opaque noenhanced
set encoding utf8
# colour of: idp, smooth sensitivity, dp_median, the paper's curve
idp = "#0072b2"; smooth = "#d55e00"; exponential = "#009e73"; other = "#cc79a7"; paper = "#555555"
