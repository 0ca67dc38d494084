// The cells of a grain (cells.h), in expressions over instants.
#pragma once

#include "extension/domain/cells.h"
#include "extension/pg/pg.h"

namespace idp {

inline bool is_instant(Oid type) { return type == TIMESTAMPOID || type == TIMESTAMPTZOID; }

// Of types timestamp, or timestamptz of a grain with a zone: the instant that the cell of another
// begins with, and that which the cell after one that begins with an instant does.
Node* cell_of_node(Oid type, const Grain& grain, Node* instant);
Node* next_cell_of_node(Oid type, const Grain& grain, Node* cell);

// An instant so much later: '-1 microsecond'.
Node* moved_instant(Oid type, Node* instant, const char* interval);

// The instant at which clocks of a zone show a time.
Node* time_of_zone(const char* zone, Node* time);

// What a column of instants is compared with, of its type, as the comparison itself takes it; null
// if that is not known.
Node* as_instant(Oid type, Node* value);

}  // namespace idp
