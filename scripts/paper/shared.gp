# What strangers gain who average what they were told.
set output "shared.svg"
set title "strangers at distances 4 to 8, ε = 1/distance, who average their answers (lines: exact)"
set xlabel "strangers"
set ylabel "root mean square error"
set logscale xy
set xrange [0.9:110]
set yrange [0.5:12]
set ytics (0.5, 1, 2, 4, 8)
set key bottom left
best = 5.6420
plot best with lines dt 2 lc rgb paper title "the best of them alone", \
     "shared.csv" every ::1 using 1:6 with lines lc rgb idp notitle, \
     "" every ::1 using 1:2:(1.96 * $3) with yerrorbars pt 7 ps 0.6 lc rgb idp title "levels of one release", \
     "" every ::1 using 1:7 with lines lc rgb smooth notitle, \
     "" every ::1 using 1:4:(1.96 * $5) with yerrorbars pt 7 ps 0.6 lc rgb smooth title "answers of their own"
