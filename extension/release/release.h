// Named releases: the noise of an answer is kept, so that the answer can be repeated, refined and
// tightened, whatever happened to the table since (privacy.md, sections 4 and 5).
//
// A chain is a row of idp.chain, which holds what was frozen at the first release (the question,
// the true values, the sensitivities), and rows of idp.chain_level, each with the noise at one
// level of epsilon. A chain without levels does not exist: its first answer never left, or was
// lost in a crash and is charged anew.
//
// Chains born in one grouping set of one aggregate of one statement are a family: they cost the
// largest epsilon among them (core/accounting/composition.h). When one of them is refined beyond
// what the family was charged for, the others are refined with it, in one step. The noise of every
// level is on disk before an answer at that level leaves, and a crash never leads to a second draw
// of it.
#pragma once

#include "extension/pg/pg.h"

#include "extension/plan/input.h"
#include "extension/release/noise.h"
#include "extension/call/bound_call.h"

namespace idp {

// The argument that names the release, or null if the call has none.
Node* release_expression(AggState* node, Aggref* aggref);

// Checks the name of a call before rows are read, and prepares its evaluation.
void prepare_release(BoundCall* call, const Input& input);

// What an answer is made of.
struct Stored {
  bytea* record;  // core/gradual/record.h; null if there is no answer, as there is no name
  bytea* noise;
};

// Freezes the current group: makes the record of a release that begins.
using Freeze = bytea* (*)(void* context);

// The release of the current group at these epsilons, stored by then. Freeze is called if it
// begins.
Stored named_release(BoundCall* call, const Request& request, Oid result, Freeze freeze,
                     void* context);

struct Levels {
  StoredLevel* rows;
  int count;
  XLogRecPtr written;  // as in StoreScan, of them all
};

// A stored release, found by name.
struct StoredChain {
  pg_uuid_t id;
  char* name;
  pg_uuid_t family;
  bool grouped;         // whether the family has one chain per group
  ArrayType* accounts;  // int4[]: what it was charged to first
  Oid table;            // invalid: none, several, or dropped since
  List* tables;         // all that were read
  char* table_name;
  char* aggregate;
  char* column;
  char* condition;  // which rows (question.h); null for those that 0.2.0 began, which did not know
  Oid result;     // the type of the answer
  char* role;     // who began it
  bytea* record;  // null: to be begun again (idp.refresh)
  ItemPointerData place;
  Levels levels;  // as they were when it was found
};

// The last chain of that name; null if there is none.
StoredChain* find_chain(const char* name);

// What a level within what was paid for is drawn for: the release alone, or its whole family, which
// a query with many groups asks for one after the other. One beyond is drawn for the family always.
enum class Extent { kChain, kFamily };

// The noise at these epsilons; drawn, charged and on disk if it is new. False if the release was
// dropped since it was found.
// accounts: those that protect what a query reads now, beside those of the release.
bool refine(const StoredChain& chain, const double* epsilons, int count, List* accounts,
            Extent extent, Stored* stored);

// Whether the current role may see answers of such a release, and refine it: who began it, and who
// may read that column of all rows of the table. column as in idp.chain; empty: any column will do.
bool may_read(Oid table, const char* role, const char* column);
// Reports an error unless it may.
void require_readable(const StoredChain& chain);

// Whether it has levels: otherwise the next answer under its name begins it.
bool has_begun(const StoredChain& chain);

// The noise of the level with the largest epsilon, of a release that has begun.
bytea* finest_noise(const StoredChain& chain);

// Reports an error if epsilon is less than one of the tables behind the release asks for.
void require_min_epsilon(const StoredChain& chain, double epsilon);

// Makes the next answer under the name begin a new chain, for the same question.
void begin_again(const StoredChain& chain);

// Deletes all chains of that name, with the transaction.
void delete_chains(const char* name);

}  // namespace idp
