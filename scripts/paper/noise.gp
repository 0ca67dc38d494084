# Figure 1 of the iDP paper.
set output "noise.svg"
set title "Noise at ε = 1, sensitivities 1: the paper's densities (lines), shares of draws in parts 0.25 wide (points)"
set xlabel "noise, in units of the sensitivity"
set ylabel "density"
set xrange [-20:20]
laplace(x) = 0.5 * exp(-abs(x))
cauchy(x) = 1 / (pi * 8 * (1 + (x / 8) ** 2))
cubic(x) = 3 * sqrt(3) / (4 * pi) / 12 / (1 + (abs(x) / 12) ** 3)
set samples 801
plot laplace(x) with lines lw 1.5 lc rgb idp title "Laplace(1), ε-iDP", \
     cauchy(x) with lines lw 1.5 lc rgb other title "8·Z, Z ∝ 1/(1+|z|²), ε-DP", \
     cubic(x) with lines lw 1.5 lc rgb smooth title "12·Z, Z ∝ 1/(1+|z|³), ε-DP", \
     "noise.csv" every ::1 using 1:2 with points pt 7 ps 0.35 lc rgb idp title "idp_median", \
     "" every ::1 using 1:3 with points pt 7 ps 0.35 lc rgb other title "dp_median_smooth, γ = 2", \
     "" every ::1 using 1:4 with points pt 7 ps 0.35 lc rgb smooth title "dp_median_smooth, γ = 3"
