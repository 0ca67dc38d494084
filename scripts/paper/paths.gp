# Figure 1 of the gradual release paper.
set output "paths.svg"
set title "Five named releases, each relaxed through 120 levels of ε: noise V_ε in units of the sensitivity"
set xlabel "ε"
set ylabel "arctan V_ε"
set logscale x
set xrange [0.1:10]
set yrange [-pi/2:pi/2]
set ytics ("−π/2" -pi/2, "−π/4" -pi/4, "0" 0, "π/4" pi/4, "π/2" pi/2)
set key outside right
colours = idp . " " . smooth . " " . exponential . " " . other . " #e69f00"
plot for [p=1:5] "paths.csv" every ::1 using 1:(atan(column(p + 1))) with steps lw 1.8 lc rgb word(colours, p) \
       title sprintf("release %d", p), \
     atan(log(20) / x) with lines dt 2 lc rgb paper title "95 % of V_ε", \
     -atan(log(20) / x) with lines dt 2 lc rgb paper notitle
