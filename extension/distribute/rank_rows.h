// Medians and the like over tables whose rows lie in other servers, without moving all values.
//
// Their answers are made of how many values there are, n, and of those at a few ranks
// (core/aggregate/near_ranks.h). So rows are given whose values are the table's at these ranks, and
// elsewhere one of a few that stand for all: those up to where a gap begins (rank_division.h) are
// given as where it begins, those from where it ends on as where it ends.
//
// Why answers are the same, to the last bit: let f leave values within the gaps alone, and take
// each other one to an end of a gap as said. f is monotone, so with the table's values x_1 <= … <=
// x_n the rows given have f(x_1) <= … <= f(x_n): as many, and of rank i the value f(x_i). Each rank
// that matters is looked up among these rows before any is given. If what is there is a value
// within a gap, then f(x_i) = x_i, as f takes no other value into a gap; or it is the one value
// between two gaps that meet, which f leaves alone as well. Otherwise the rows are not given. NULL
// and NaN, which no rank counts, come as often as they are. So the state of an aggregate has other
// values, and the same n and the same ones where they matter: its answer, what it freezes for a
// named release and what it draws are the same. Counts of rows beside it see as many rows. No other
// aggregate has anything of the column, and no condition that is left for this server. Of several
// tables the gaps are the same, and the ranks those of all their rows. Values are told apart as the
// aggregate tells them apart, by their keys, which are as monotone.
//
// What was asked before only says where to put the gaps. The rows that are given come from one
// statement for each table, as they do otherwise, so rows that change meanwhile do no harm: either
// the gaps still have the ranks, by the counts of that very statement, or others are tried, a few
// times; then all values are asked for. Where Citus has the rows gaps come from samples of them; a
// foreign table gives no sample, and is counted in cells that become narrower. All of that is
// hidden from whom rows are hidden from (remote_ask.h), but for the time that it takes.
#pragma once

#include "extension/pg/pg.h"

#include "extension/distribute/rank_division.h"

namespace idp {

// Has nodes of RemoteRows, which are all that an aggregation reads, give such rows, if they can.
// columns: of int, the one column of each one's table that is read. specs: of those that read it.
void read_near_ranks(List* nodes, List* columns, const WantedRanks& wanted);

}  // namespace idp
