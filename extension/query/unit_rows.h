// The algebra of units: of the rows that a part of a query gives, whose each of them is, and how
// many of them one unit can have.
//
// What is kept of rows is true of every data set, and follows from that of the rows they are made
// of, a rule for each step (walk.h). The rule of rules: rows are either the
// same for all neighbours (fixed), or each is made from the rows of one unit and from what is
// fixed, and is there or not whatever other units hold. So a change of one unit changes its rows
// alone, `most` of them.
#pragma once

#include "extension/pg/pg.h"

#include <cstdint>

#include "extension/pg/keys.h"
#include "extension/plan/problem.h"
#include "extension/plan/unit.h"

namespace idp {

// What an integer column counts, within one unit: its rows, or the different values of an order.
enum class Rank : std::uint8_t { kNone, kRow, kDense };

// Between which numbers a rank is, both included.
struct Ranks {
  std::int64_t least = 1;
  std::int64_t greatest = PG_INT64_MAX;  // not bounded
};

struct ColumnFacts {
  int id = 0;  // of its value: the same in two columns that cannot differ
  // The row of a table that it is a column of, by number of the scan; 0 if none. Columns of one row
  // are NULL together where that is missing.
  int scan = 0;
  AttrNumber attribute = InvalidAttrNumber;
  const UnitKey* key = nullptr;  // which key it holds, of a row that its row belongs to
  bool of_unit = false;    // whether it is the same, in every respect, in all rows of one unit
  bool of_public = false;  // whether it comes from a fixed relation whose rows are all kept
  bool of_absent = false;  // whether it is NULL in rows that belong to nobody
  Rank rank = Rank::kNone;
  List* ranked = NIL;  // kDense: of UniqueSet::Column, the values whose order it counts
  Ranks ranks;         // of those that conditions let pass
  // Whether values that are equal look the same; and whether it is one of several that are equal
  // and need not, where rows of others may decide which (unit_forms.cpp).
  bool has_one_form = false;
  bool is_of_any_form = false;
  bool is_open = false;  // whether it is that of any row of a group
  // What the absolute values of one unit, of all its rows together, add up to at most. Null if that
  // is not known.
  Node* mass = nullptr;
};

// Columns that no two rows agree on.
struct UniqueSet {
  struct Column {
    int id;
    Oid family;  // of the operators by which they differ
    int place;   // of the column in the index, from 1, where there is one
  };
  List* columns;       // of Column
  bool without_nulls;  // whether none of them is NULL: those that are do not count
  Bitmapset* given;    // for each value of these parameters of outer loops only
  Oid index;           // by which it is known of a table; or invalid
  // What its other columns are equal to, of Node, and their places in the index, of int.
  List* pinned;
  List* pinned_places;
};

// A column that is equal to a parameter in all rows.
struct Pin {
  ColumnFacts column;
  int parameter;
  Oid op;
  Oid collation;
};

// How many different values some columns have within one unit.
struct DistinctLimit {
  List* columns;  // of UniqueSet::Column
  Multiplicity most;
};

struct Rows {
  const Problem* problem = nullptr;  // why nothing is known of them; or null
  bool is_fixed = true;
  Multiplicity most = Multiplicity::of(0);
  const Problem* unbounded = nullptr;  // why `most` is not bounded
  ColumnFacts* columns = nullptr;      // by number, from 0
  int count = 0;
  List* unique = NIL;  // of UniqueSet
  List* pins = NIL;    // of Pin
  List* limits = NIL;  // of DistinctLimit
  // Whether `most` and ranks hold for each value of parameters of outer loops only.
  bool is_lateral = false;
  // Whether they are the same each time that they are read anew, in whatever order the rows below
  // come. Those of units always are.
  bool is_settled = true;
  // Of an outer join that keeps a fixed side: whether rows of it that belong to nobody are among
  // them, whether each is there still, and whether what groups by it shows these rows alone.
  bool has_absent = false;
  bool keeps_public = false;
  bool has_public_groups = false;
  // The relations whose rows they are, each once, or some of them: NIL if they are not. Of the
  // partitions of a whole a unit has no more together than of one; where each row is a unit by
  // itself, of any relations.
  List* slices = NIL;
  Oid whole = InvalidOid;
  bool is_by_row = false;
};

Rows rows_with_problem(const Problem* problem);

// An aggregate whose argument has a bounded mass.
struct BoundedMass {
  int aggregate;  // its number
  Datum bound;    // numeric
};

// What an aggregate reads.
struct UnitInput {
  const Problem* problem;
  Multiplicity most;
  const Problem* unbounded;
  bool has_public_groups;
  Bitmapset*
      one_value;  // by number, the aggregates whose argument is one value in all rows of a unit
  List* masses;   // of BoundedMass
};

// --- for the rules ---

// What is known of the steps of a query while they are looked at, one below the other.
class UnitFacts {
 public:
  UnitFacts(const PrivacyUnit& unit, EState* state) : unit_(unit), state_(state) {}

  const PrivacyUnit& unit() const { return unit_; }
  EState* state() const { return state_; }
  int new_id() { return ++ids_; }

  // The parameters that a row is handed over by to what is computed for it, with what is known of
  // the columns they come from. False if it is bound already. That is known of the outer row alone:
  // it says which column of it a pin of the inner side matches, and nothing of rows that the inner
  // side makes of the value.
  bool bind(int parameter, const ColumnFacts& column);
  void unbind(int parameter);
  const ColumnFacts* bound(int parameter) const;
  const Bitmapset* all_bound() const { return bound_; }
  // Those, and those that are the same for all rows.
  const Bitmapset* all_known() const;
  // The key of a scanned table, by which one row of it has certain values in its other columns.
  void add_key(int scan, const UniqueKey* key);
  List* keys_of(int scan) const;
  // Parts of FROM are looked at again for each place among the others that they may come at; inside
  // LATERAL subqueries of LATERAL subqueries, for each choice of all places. False after so many.
  static constexpr int kMostLooks = 10'000;
  bool may_look() { return ++looks_ <= kMostLooks; }
  // Whether rows are made when some part of the query asks for them, and kept for the others: of
  // two of them, settings may have changed in between.
  bool are_made_at_any_time() const { return ctes_ > 0; }
  void enter_cte() { ++ctes_; }
  void leave_cte() { --ctes_; }
  // Whether an expression has its value before the first row is read, once for all rows.
  using IsConstant = bool (*)(Node*);
  void set_constants(IsConstant is_constant) { is_constant_ = is_constant; }
  bool is_constant(Node* expression) const {
    return is_constant_ != nullptr && is_constant_(expression);
  }

 private:
  struct Binding;

  const PrivacyUnit& unit_;
  EState* state_;
  IsConstant is_constant_ = nullptr;
  int ids_ = 0;
  int looks_ = 0;
  int ctes_ = 0;  // how many of them the step is in
  List* bindings_ = NIL;
  List* keys_ = NIL;   // of UniqueKey
  List* scans_ = NIL;  // the numbers of the scans that they are of
  Bitmapset* bound_ = nullptr;
};

// What a step does with the rows below it, beside leaving some of them out.
struct Step {
  bool repeats;    // it may give a row several times
  bool puts_null;  // it may put NULL in place of values
};

// The columns of rows after such a step, and what is known of several of them together. Of the rest
// nothing is.
Rows after(UnitFacts& walk, const Rows& rows, Step step);

// Where the columns stand, in rows of all relations of one level of a query together.
struct Layout {
  int relations;
  int* first;  // by number, from 1: the place of the first column, from 0
  int* count;

  int width() const { return first[relations] + count[relations]; }
};

// The rows that the expressions of a level name columns of.
struct Inputs {
  const Rows* rows;
  const Layout* layout;
  const Rows* grouped = nullptr;  // those that aggregates read, where `rows` is what groups show
  const Bitmapset* ordered = nullptr;  // the windows whose functions see no peers
};

// The columns that a Var names: one, or all of a whole row. Empty if they are not known.
struct NamedColumns {
  const ColumnFacts* first;
  int count;
};
NamedColumns columns_of(const Var* var, const Inputs& inputs);

// What an expression over the columns of inputs is, whatever it is made of. Null if nothing is
// known of it but what its type says.
const ColumnFacts* column_of(const UnitFacts& walk, const Node* expression, const Inputs& inputs);

// Facts of an expression over the columns of inputs.
ColumnFacts facts_of(UnitFacts& walk, const Node* expression, const Inputs& inputs);

// The rows of several members (of Rows), one after the other, in columns that are as told. Those
// that no aggregate sees are not among them.
Rows rows_of_all(const List* members, const Rows& columns, bool has_constants);

// --- equal values that look different ---

// What an expression shows of values that are of any form.
enum class Form : std::uint8_t {
  kOwn,    // nothing
  kAny,    // one of them, or its equal
  kShown,  // of which form it is
};
Form form_of(const UnitFacts& walk, const Node* expression, const Inputs& inputs);

// Whether values of an expression that are equal look the same.
bool has_one_form(const UnitFacts& walk, const Node* expression, const Inputs& inputs);

// Whether an operator has the same result for equal values of the argument.
bool compares_values(Oid op, Oid collation, const Node* argument);

// Whether values under casts that change none of their bits (RelabelType) are equal as before.
bool tells_apart_as(const UnitFacts& walk, const Node* cast, const Node* bare,
                    const Inputs& inputs);

// Why an aggregate of the extension sees of which form values are; or null.
const Problem* problem_of_forms(const UnitFacts& walk, const Aggref* aggref, const Inputs& inputs);

extern const Problem kFormShown;

// Whether some set of columns that no two rows agree on is among those, by these operators.
struct Equal {
  int id;
  Oid op;
  Oid collation;
};
bool covers_unique(const Rows& rows, const List* equals, bool with_nulls);

// Whether rows of one unit agree on a column when compared so.
bool agrees_within_unit(const ColumnFacts& column, Oid op, Oid collation);

// What a condition that holds for all rows says about ranks: bounds `most`, or adds limits.
void apply_limits(UnitFacts& walk, const List* conditions, const Inputs& inputs, Rows* rows);
// The same of one, about a rank that is one of its arguments. What is then known of that.
Ranks apply_limit(UnitFacts& walk, const OpExpr* condition, Node* ranked, const ColumnFacts& rank,
                  Rows* rows);

// The mass of a column that a window function over partitions makes, each of which is all rows of a
// unit; null if it is not known.
Node* mass_of_window(const WindowFunc* call, const Rows& rows);

// Whether a private aggregate, over rows some of which belong to nobody, leaves these out.
bool leaves_out_absent(const Aggref* aggref, const Inputs& inputs);

}  // namespace idp
