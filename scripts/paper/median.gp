# Figure 2 of the iDP paper.
set terminal svg size 960,940 dynamic font "sans-serif,12" background "white"
set output "median.svg"
set multiplot layout 4,3 title "Mean absolute error of the median against ε: draws (points), exact (lines)"
set logscale y
set format y "10^{%T}"
set xrange [0.45:1.05]
set xtics 0.5,0.1
set xlabel "ε" offset 0,0.5
set key off
names = "U[0,1] N(0,1) Exp(1)"
sizes = "10 100 1000"
do for [i=1:3] {
  do for [k=1:3] {
    n = word(sizes, k) + 0
    set title word(names, i) . ", n = " . word(sizes, k) noenhanced
    only(v) = column(1) == i && column(2) == n ? v : NaN
    x(dummy) = only(column(3))
    plot "median.csv" every ::1 using (x(0)):(only(column(14))) with lines dt 2 lw 1.5 lc rgb paper, \
         "" every ::1 using (x(0)):(only(column(13))) with lines dt 3 lw 1.5 lc rgb smooth, \
         "" every ::1 using (x(0)):(only(column(12))) with lines lw 1.5 lc rgb smooth, \
         "" every ::1 using (x(0)):(only(column(9))) with lines lw 1.5 lc rgb exponential, \
         "" every ::1 using (x(0)):(only(column(6))) with lines lw 1.5 lc rgb idp, \
         "" every ::1 using (x(0)):(only(column(4))):(column(5)) with yerrorbars pt 7 ps 0.4 lc rgb idp, \
         "" every ::1 using (x(0)):(only(column(7))):(column(8)) with yerrorbars pt 7 ps 0.4 lc rgb exponential, \
         "" every ::1 using (x(0)):(only(column(10))):(column(11)) with yerrorbars pt 7 ps 0.4 lc rgb smooth
  }
}
# The last row is the legend.
set multiplot next
unset title; unset xlabel; unset logscale; unset tics; unset border; unset grid
set key center center spacing 1.4
set xrange [0:1]
set yrange [0:1]
plot NaN with lines dt 2 lw 1.5 lc rgb paper title "the paper: smooth, β = ε, not clamped (12 S/ε)", \
     NaN with lines dt 3 lw 1.5 lc rgb smooth title "smooth, β = ε/3, not clamped (12 S/ε)", \
     NaN with linespoints pt 7 ps 0.4 lw 1.5 lc rgb smooth title "dp_median_smooth: β = ε/3, clamped to the domain", \
     NaN with linespoints pt 7 ps 0.4 lw 1.5 lc rgb exponential title "dp_median: exponential mechanism", \
     NaN with linespoints pt 7 ps 0.4 lw 1.5 lc rgb idp title "idp_median, and the paper's iDP (LS/ε)"
unset multiplot
