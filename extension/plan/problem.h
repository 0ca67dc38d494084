// Why an aggregate over a protected table is refused, in words, and the way out.
#pragma once

namespace idp {

struct Problem {
  const char* words;    // completes "… cannot be computed over …"
  const char* way_out;  // a hint: a sentence
  // The same in a few words, for clients that show the first line alone: what to do instead.
  const char* advice;
};

// Those that are met both as a kind of plan node and within an expression.
inline constexpr Problem kSystemColumnProblem = {
    "a system column", "Use the columns that the table declares.", "use the columns of the table"};
inline constexpr Problem kWindowProblem = {
    "a window function",
    "Apply the private aggregate to the table, and window functions to its answers.",
    "apply it to answers"};

}  // namespace idp
