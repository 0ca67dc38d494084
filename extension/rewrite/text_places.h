// Values with a domain by their places in its order, so that min(), max() and mode() of them are
// those of numbers:
//
//   max(status)     CASE max(CASE WHEN status = 'new' THEN 1 WHEN status = 'paid' THEN 2 END)
//                   WHEN 1 THEN 'new' WHEN 2 THEN 'paid' END
#pragma once

#include "extension/domain/levels.h"
#include "extension/pg/pg.h"

namespace idp {

struct TextPlaces {
  Node* place;  // of a text, from 1; null if everybody may not know which texts there are
  List* texts;  // of Const, in their order
};
// Of a column of the level, as an aggregate takes it: of texts, of an enum, or of its labels.
TextPlaces places_of_texts(const QueryLevel& level, Node* column);

// The text at a place.
Node* text_at(const TextPlaces& places, Node* place);

}  // namespace idp
