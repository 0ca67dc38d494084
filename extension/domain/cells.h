// A domain of instants has a grain: everybody may see them by days, or hours, or months. The cells
// of the grain are its keys, each named by the instant that it begins with.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

struct Grain {
  const char* unit = nullptr;  // of date_trunc(): "day"; null: there is none
  const char* zone = nullptr;  // whose days these are, where instants have a time zone
};

// The unit of a grain from how a user writes it ('1 day'); null if it is no single unit.
const char* unit_of_grain(const char* grain);
// The other way.
const char* name_of_grain(const Grain& grain);

// UTC goes by many names, and clients set one of them: Java's say Etc/UTC or GMT.
bool is_utc(const char* zone);

// Whether the cells are those of that zone.
bool is_same_zone(const char* zone, const Grain& grain);

// Whether each cell lies in one unit of date_trunc().
bool lies_in(const Grain& grain, const char* unit);
// The unit that a field of extract() follows from; null if it is not known.
const char* unit_of_field(const char* field);

// The instant that the cell of another begins with, and that of the next cell. type: timestamp, or
// timestamptz, with a zone.
Datum cell_of(Oid type, const Grain& grain, Datum instant);
Datum next_cell(Oid type, const Grain& grain, Datum cell);

// Whether cells from one instant to another are units of time after each other: clocks are not
// moved by parts of one, as by half an hour, which an hour's cells do not follow.
bool clocks_keep_cells(Oid type, const Grain& grain, Datum first, Datum end);

// Whether no time of a cell, as clocks of a zone show it, is an instant before that of the cell's
// first time, or after that of its last. Times that clocks leave out, an hour say, are instants as
// those of the next hour are: a cell is not to begin or end among these.
bool clocks_keep_ends(const Grain& grain, const char* zone, Datum first, Datum end);

// Whether clocks of a zone go on without a change within each cell. type: that of the cells.
bool clocks_change_between_cells(Oid type, const Grain& grain, const char* zone, Datum first,
                                 Datum end);

// The instants that cells begin with, from one up to another, which is none of them; null if they
// are more than most. number: how many there would be, at least.
Datum* cells_between(Oid type, const Grain& grain, Datum first, Datum end, int most, int* count,
                     int64* number);

}  // namespace idp
