// The one- and two-way counts of a table over the declared domains of some of its columns: what
// synthetic rows are made of (core/mechanism/synthetic.h).
#pragma once

#include "extension/pg/pg.h"

#include "core/mechanism/synthetic.h"

namespace idp {

// A column that is synthesized: its name and the text of each value of its public domain.
struct SynthesisColumn {
  char* name;
  int size;
  char** values;
  // of the table:
  Oid type;
  int32 typmod;
  FmgrInfo output;
};

// What is counted, in plain memory.
struct TableCounts {
  int columns;
  SynthesisColumn* column;
  std::int64_t** one_way;  // by column
  std::int64_t** two_way;  // of a < b at a * columns + b, as Marginals has them
};

inline constexpr int kMostSynthesisColumns = 20;
inline constexpr int kMostSynthesisValues = 1000;
inline constexpr std::int64_t kMostSynthesisCells = 4000000;

// Checks the columns against the table: that they are there, of types whose text says all there is
// to know, and that their domains are sound. Domains become the text that the types give them.
// Reports an error that depends on nothing but the arguments.
void require_synthesis_columns(Oid table, SynthesisColumn* columns, int count);

// Counts the rows of a table and of all it consists of, as of the active snapshot. A value that is
// not in its domain, NULL too, counts as the last of it.
TableCounts count_tables(List* tables, SynthesisColumn* columns, int count);

// As the core asks for them.
class TableMarginals final : public Marginals {
 public:
  explicit TableMarginals(const TableCounts& counts);
  const std::vector<std::size_t>& sizes() const override { return sizes_; }
  Counts one_way(std::size_t column) const override;
  Counts two_way(std::size_t a, std::size_t b) const override;

 private:
  const TableCounts& counts_;
  std::vector<std::size_t> sizes_;
};

}  // namespace idp
