// The rows of idp.domain: what was declared of a column, as text.
#pragma once

#include "extension/domain/cells.h"
#include "extension/pg/pg.h"

namespace idp {

namespace domain_column {
enum { kRelation, kName, kKeys, kLower, kUpper, kGrain, kZone, kCount };
}

// A column, and how its values are written and compared.
struct DomainColumn {
  Oid table;
  AttrNumber number;
  const char* name;
  Oid type;
  int32 typmod;
  Oid collation;
};

DomainColumn column_numbered(Oid table, AttrNumber number);

struct DomainRow {
  bool exists = false;
  Datum values[domain_column::kCount];
  bool nulls[domain_column::kCount];
  ItemPointerData place;

  // Without a unit if the domain has no grain.
  Grain grain() const;
};

DomainRow domain_row(Oid table, const char* name);
void delete_domain_row(const DomainRow& row);
// keys, or bounds, as text; a grain only with bounds.
void insert_domain_row(const DomainColumn& column, Datum keys, Datum lower, Datum upper,
                       const Grain& grain);

// The value that a text is for the column, and the other way. In plain settings.
Datum value_of_text(const DomainColumn& column, const char* text);
Datum text_of_value(const DomainColumn& column, Datum value);

// Below, at or above 0, in the order of the column.
int compare_values(const DomainColumn& column, Datum a, Datum b);

// Whether the values between two bounds can be counted: whole numbers and days, and numbers of a
// declared number of digits, such as numeric(2, 1).
bool is_countable(const DomainColumn& column);
int64 number_of(Oid type, Datum value);  // of whole numbers and days
int64 number_of(const DomainColumn& column, Datum value);
// The numeric of a column that number_of() gives that number of.
Datum numeric_counted(const DomainColumn& column, int64 number);
// How many values of numeric are listed at most: of more, groups of bins are what people ask for.
inline constexpr int kMostNumbers = 1000;
// How many there are from one to another; the largest number there is if they are more.
int64 count_between(const DomainColumn& column, Datum first, Datum last);

}  // namespace idp
