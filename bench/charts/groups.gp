# Time against the number of groups.
set output "groups.svg"
set title "Time against the number of groups: the same rows each time, serial, warm, work_mem = 1 GB" noenhanced
set logscale xy
set format x "10^{%T}"
set xlabel "groups"
set autoscale xfixmin
set ylabel "milliseconds"
set key left top
plot for [i=2:4] "groups.csv" using 1:i with linespoints lw 1.5 pt 7 ps 0.6 \
  lc rgb word("#555555 #0072b2 #d55e00", i - 1) title columnhead(i)
