# How far pairs of columns of synthetic rows are from those of the data.
set output "synthetic.svg"
set title "RAND data: total variation distance of each pair of columns, mean of the runs"
set ylabel "total variation distance"
set xrange [0.5:15.5]
set yrange [0.002:1]
set logscale y
set xtics rotate by -35 noenhanced font ",10"
set key top left
set bmargin 7
plot "synthetic.csv" every ::1 using 1:3:xtic(2) with linespoints pt 7 ps 0.6 lc rgb smooth title "independent columns", \
     "" every ::1 using 1:4 with linespoints pt 7 ps 0.6 lc rgb other title "idp.synthesize, ε = 0.5", \
     "" every ::1 using 1:5 with linespoints pt 7 ps 0.6 lc rgb exponential title "ε = 1", \
     "" every ::1 using 1:6 with linespoints pt 7 ps 0.6 lc rgb idp title "ε = 4", \
     "" every ::1 using 1:7 with lines dt 2 lc rgb paper title "drawn again from the data"
