# The ratios that have a goal, as bars; kind is "within" or "faster".
data = "ratios_" . kind . ".csv"
stats data skip 1 using 3:4 name "of" nooutput
stats data skip 1 using 6:5 name "goal" nooutput
lines = of_records
# Bars begin at the left border of a logarithmic axis; their values stand at the right one.
left = 0.7 * (of_min_y < goal_min_x ? of_min_y : goal_min_x)
left = left < 0.7 ? left : 0.7
right = 1.8 * (goal_max_y > goal_max_x ? goal_max_y : goal_max_x)
set terminal svg size 960,(110 + 21 * lines) dynamic noenhanced font "sans-serif,12" background "white"
set output "ratios_" . kind . ".svg"
set xlabel (kind eq "faster" ? "how many times faster: longer is better" \
  : "ratio of times: shorter is better") . " (black: the goal; blue: met; whiskers: the spread)"
set logscale x
set xtics (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 3, 4, 6, 10, 20, 30, 50, 100)
set grid noytics xtics
set ytics scale 0
set yrange [lines - 0.4:-0.6]
set lmargin 56
set key off
met = 0x0072b2; missed = 0xd55e00
set xrange [left:right]
plot data skip 1 using 3:1:(left):3:($1 - 0.35):($1 + 0.35):(int($7) ? met : missed):ytic(2) \
       with boxxyerror fs solid 0.75 noborder lc rgb variable, \
     "" skip 1 using 3:1:4:5 with xerrorbars pt 0 lw 1 lc rgb "#222222", \
     "" skip 1 using 6:1:(0):(0.42) with vectors nohead lw 3 lc rgb "black", \
     "" skip 1 using 6:1:(0):(-0.42) with vectors nohead lw 3 lc rgb "black", \
     "" skip 1 using (0.96 * right):1:(sprintf("%.3g", $3)) with labels right font ",11"
