# Figure 2 of the iDP paper's first version.
set output "range_count.svg"
set multiplot layout 1,2 title "Error of range counts at ε = 1"
set xlabel "answer − true count"
set ylabel "probability"
set yrange [0:0.6]
set xrange [-6.5:6.5]
set boxwidth 0.8
set style fill solid 0.35
set title "ε-DP: discrete Laplace" 
plot "range_count.csv" every ::1 using 1:2 with boxes lc rgb smooth title "dp_count_range, drawn", \
     "" every ::1 using 1:3 with points pt 2 ps 0.8 lc rgb paper title "the paper's law"
set title "ε-iDP: its tails moved to ±1"
plot "range_count.csv" every ::1 using 1:4 with boxes lc rgb idp title "idp_count_range, drawn", \
     "" every ::1 using 1:5 with points pt 2 ps 0.8 lc rgb paper title "the paper's law"
unset multiplot
