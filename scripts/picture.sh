#!/bin/bash
# Draws the picture of the README anew, docs/refined.svg: one dashboard number for each month, plain,
# private and refined. The answers are random, so each run draws other bars.

# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$repository"

build_and_stage
with_server psql -XAtq -v ON_ERROR_STOP=1 <scripts/picture.sql >"$scratch/refined.svg"
cp "$scratch/refined.svg" docs/refined.svg
say "docs/refined.svg"
