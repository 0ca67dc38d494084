# A population that answers by randomised response, more accurately each time.
set output "reports.svg"
set title "100 000 people, 20 values: how many have each, told by their reports (bars: 95 %)"
set xlabel "value"
set ylabel "people"
set xrange [-0.7:19.7]
set xtics 0,1
set key top right
only(v, e) = column(1) == e ? v : NaN
plot "reports.csv" every ::1 using ($2):(only($3, 2)) with steps lw 1.5 lc rgb paper title "truth", \
     "" every ::1 using ($2 - 0.2):(only($4, 0.5)):(1.96 * $5) with yerrorbars pt 7 ps 0.5 lc rgb smooth title "ε = 0.5", \
     "" every ::1 using ($2):(only($4, 1)):(1.96 * $5) with yerrorbars pt 7 ps 0.5 lc rgb exponential title "ε = 1", \
     "" every ::1 using ($2 + 0.2):(only($4, 2)):(1.96 * $5) with yerrorbars pt 7 ps 0.5 lc rgb idp title "ε = 2"
