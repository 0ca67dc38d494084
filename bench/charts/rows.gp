# Time against rows.
set output "rows.svg"
set title "Time against rows: one double precision column, serial, warm, work_mem = 1 GB" noenhanced
set logscale xy
set format x "10^{%T}"
set xlabel "rows"
set autoscale xfixmin
set ylabel "milliseconds"
set key left top
stats "rows.csv" skip 1 nooutput
plot for [i=2:STATS_columns] "rows.csv" using 1:i with linespoints lw 1.5 pt 6 + (i % 2) ps 0.6 \
  lc rgb word("#999999 #555555 #0072b2 #009e73 #56b4e9 #d55e00 #cc79a7", i - 1) title columnhead(i)
