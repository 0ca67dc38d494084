// Functions of an instant that never go back: date_bin, epochs, sums and quotients of these with
// constants, and what rounds them. One is the same for all of a cell if it is for the cell's first
// instant and its last.
//
//   floor(extract(epoch from at) / 86400) * 86400    of cells of a day: yes
//   floor(extract(epoch from at) / 3600) * 3600      no: it tells hours
#pragma once

#include "extension/domain/key_column.h"
#include "extension/pg/pg.h"

namespace idp {

// Whether an expression over the column of a key with a grain alone is the same for all of each
// cell.
bool is_same_in_cells(const Node* expression, const KeyColumn& key);

// Whether its values for a cell lie between those for the first instant of the cell and the last.
// The expression has its constants evaluated, and is over the column alone.
bool is_ordered_in_time(const Node* expression, const KeyColumn& key);

}  // namespace idp
