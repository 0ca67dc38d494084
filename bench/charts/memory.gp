# Peak memory against rows.
set output "memory.svg"
set title "Peak memory of a fresh backend (VmHWM) against rows: one double precision column, serial" noenhanced
set logscale xy
set format x "10^{%T}"
set xlabel "rows"
set autoscale xfixmin
set ylabel "megabytes"
set key left top
stats "memory.csv" skip 1 nooutput
plot "memory.csv" using 1:2 with lines dt 2 lw 1.5 lc rgb "#999999" title columnhead(2), \
     for [i=3:STATS_columns] "" using 1:i with linespoints lw 1.5 pt 6 + (i % 2) ps 0.6 \
       lc rgb word("#999999 #555555 #0072b2 #d55e00 #56b4e9", i - 2) title columnhead(i)
