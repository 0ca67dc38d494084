// What a column of a subquery means, in place of where it stands among others.
//
//   SELECT status, count(*) FROM orders …                 SELECT status, count(*), sum(amount) FROM
//   orders …
//
// are read from subqueries of two and of three columns where rows of persons are bounded, or keys
// of domains stand beside the rows. The counts are the same number all the same. So the identity of
// a number (identity.h) says what the columns that it reads are computed by, and of the subqueries
// which rows they have: what they compute beside these is left out.
//
// Which rows a SELECT has, and how often each, does not follow from what it computes of them. It
// may where DISTINCT, a set operation but UNION ALL, or a function that returns a set is there, or
// where something else could name a column by its place: a subquery of an expression, LATERAL, a
// CTE of its own, FOR UPDATE, grouping sets. Such a subquery is taken as a whole, as is what is not
// known, and its columns are told by their places.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// What the entries of a level mean.
struct LevelMeanings {
  // For each entry: NIL if its columns are told by their places, or else of String, for each of its
  // columns what it means. A List that can be written into a plan.
  List* meanings;
  // The entries, of which subqueries say nothing of columns whose meaning is known, and which have
  // no names.
  List* entries;
};
LevelMeanings meanings_of_level(const List* entries);

// Whether any column is told by what it means.
bool has_meanings(const List* meanings);

// A copy of an expression of that level, to be read by identity_of() and by nobody else.
Node* by_meaning(const Node* expression, const List* meanings);
// Of that, or of an expression as it is: with a digest in place of each subquery of the level that
// has one (recorded_question.h), whichever number it has.
Node* by_digest(Node* expression, List* subqueries);

}  // namespace idp
