#!/usr/bin/env bash
# Accuracy side by side: the mean absolute error of every private median at epsilon = 1, over many
# data sets and draws, for three sizes and four distributions. Prints a table.
#
#   bench/accuracy.sh [data sets] [draws]        50 data sets of each kind, 20 draws from each
#
# Data: uniform on [0,1] (bounds 0 and 1), standard normal (bounds -5 and 5), exponential of mean 1
# (bounds 0 and 10), as doubles; and uniform integers in [0,1000] (these bounds).
source "$(dirname "$0")/../scripts/lib.sh"

build_and_stage
say "drawing"
with_server psql -qX -v ON_ERROR_STOP=1 -v sets="${1:-50}" -v draws="${2:-20}" -f bench/accuracy.sql
