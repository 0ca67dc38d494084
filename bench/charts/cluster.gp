# Time of 100 million rows of a distributed table against machines: the first is measured (bench/cluster.sh), the others
# follow from its cost of a statement and of a row.
set output "cluster.svg"
set title "100 million rows on machines of two cores: one measured, the others on paper" noenhanced
set logscale xy
set xtics (1, 2, 4, 8, 16, 32)
set xlabel "machines"
set ylabel "milliseconds"
set key right top
stats "cluster.csv" skip 1 nooutput
plot for [i=2:STATS_columns] "cluster.csv" using 1:i with linespoints lw 1.5 pt 6 + (i % 2) ps 0.6 \
  lc rgb word("#999999 #555555 #0072b2 #009e73 #d55e00", i - 1) title columnhead(i)
