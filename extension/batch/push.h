// Rows of a page into the transitions of the aggregation, as its own loop would put them there.
#pragma once

#include "extension/pg/pg.h"

#include "extension/batch/fed_scan.h"

namespace idp {

// Puts a row of the page into the slot that conditions and values are computed of.
void fill_slot(const Feed& feed, int row);

// Leaves those of `count` rows that fit; returns how many.
int keep_fitting(const Feed& feed, const Conditions& conditions, std::uint16_t* rows, int count);

// Computes a value of a row that was put into the slot, or takes it from its column.
Datum value_of_row(const Feed& feed, const RowValue& value, int row, bool& is_null);

// Sets the constants that transition functions take. Before the first row is taken.
void set_parameters(const FedTransition* transitions, int count);

// Puts values, none of them NULL, into the state of a group; of a transition without one, so many
// rows.
void put_values(AggState* aggregation, const FedTransition& fed, AggStatePerGroup group,
                const Datum* values, int count);

// Takes selected rows: those from `from` on, up to and without `to`.
void take_rows(Feed& feed, int from, int to);

}  // namespace idp
