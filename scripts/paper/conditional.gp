# Figure 3 of the gradual release paper.
set output "conditional.svg"
set title "V₂ given V₁, ε from 1 to 2: equation (25) (lines), releases (points, ± 1 s.e.); without the atom V₂ = V₁"
set title font ",12"
set xlabel "V₂, in units of the sensitivity"
set ylabel "density of V₂"
set y2label "per 0.01, the paper's ordinate"
set xrange [-3:3]
set yrange [0:1]
set y2range [0:0.01]
set y2tics 0.002
set key left
set samples 1201
f(y, x) = 0.75 * exp(-abs(y - x) - 2 * abs(y) + abs(x))
plot f(x, -0.37321) with lines lw 1.5 lc rgb idp title "V₁ = −0.37321", \
     f(x, 2.6391) with lines lw 1.5 lc rgb smooth title "V₁ = 2.6391", \
     "conditional.csv" every ::1 using 1:2:4 with yerrorbars pt 7 ps 0.4 lc rgb idp \
       title "releases, V₁ within 0.05 of −0.37321", \
     "" every ::1 using 1:5:7 with yerrorbars pt 7 ps 0.4 lc rgb smooth title "releases, V₁ within 0.1 of 2.6391"
