// Why an aggregate over a protected table is refused, in words, and the way out.
#pragma once

namespace idp {

struct Problem {
  const char* words;    // completes "… cannot be computed over …"
  const char* way_out;  // a hint: a sentence
};

}  // namespace idp
