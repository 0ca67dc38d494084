// The rows of idp.chain and idp.chain_level, and where they are read and written.
//
// A chain is a row of idp.chain, which holds what was frozen at the first release (the question,
// the true values, the sensitivities), and rows of idp.chain_level, each with the noise at one
// level of epsilon. A chain without levels does not exist: its first answer never left, or was
// lost in a crash and is charged anew.
#pragma once

#include "extension/pg/pg.h"

#include "extension/plan/question.h"
#include "extension/release/noise.h"

namespace idp {

struct Levels {
  StoredLevel* rows;
  int count;
  int own;             // how many of them the current role drew
  XLogRecPtr written;  // as in StoreScan, of them all
};

// A stored release.
struct StoredChain {
  pg_uuid_t id;
  const char* name;
  pg_uuid_t family;
  bool grouped;         // whether the family has one chain per group
  ArrayType* accounts;  // int4[]: what it was charged to first
  Oid table;            // invalid: none, several, or dropped since (then it has a table_name)
  List* tables;         // all that were read
  const char* table_name;
  const char* aggregate;
  const char* column;
  const char*
      condition;  // which rows (question.h); null for those that 0.2.0 began, which did not know
  UsedColumns used;
  Oid result;        // the type of the answer
  const char* role;  // who began it
  bytea* record;     // null: to be begun again (idp.refresh)
  ItemPointerData place;
  Levels levels;  // as they were when it was found; none yet where chains are visited
};

// Names are those of a role, for each table, and one set more for no table, or several: so nobody
// takes a name away from somebody else. Which of the releases that have one name over a table is
// meant, find_release.h tells, and chosen_chain.h where a question says more.
//
// The last chain of each role that has that name over that table, in a list of StoredChain, the
// latest first; without a table, of the current role alone.
List* chains_named(Oid table, const char* name);

// For locks on a name of a table.
uint32 hash_of_name(Oid table, const char* name);

// Whether it has levels: otherwise the next answer under its name begins it.
bool has_begun(const StoredChain& chain);

// As idp.chain has them: an array of text, or null if they are not known.
UsedColumns stored_columns(Datum array, bool is_null);

Levels read_levels(const pg_uuid_t& chain);

// What a level holds, read: many levels are looked at for one.
bytea* noise_of(const StoredLevel& level);

// The levels that a new one is drawn from, with their noise read. For one epsilon these are the two
// it lies between: a chain is a Markov process (core/gradual/process.h). Several epsilons have an
// order of their own for each value, but then there is a single value, and its levels are short.
Levels levels_around(const Levels& levels, const double* epsilons, int count);

// The noise at these epsilons, and the level with the largest epsilon; null if there is none.
bytea* stored_noise(const Levels& levels, const double* epsilons, int count);
const StoredLevel* finest_of(const Levels& levels);

// Calls visit for each chain of a family, a table, a name or a role, or for all, those of one name
// together and the last one first, in a memory context that is reset in between, until it returns
// true; whether it did.
using ChainVisit = bool (*)(const StoredChain& chain, void* context);
bool find_in_family(const pg_uuid_t& family, ChainVisit visit, void* context);
bool find_chain_of(Oid table, ChainVisit visit, void* context);
bool find_chain_named(const char* name, ChainVisit visit, void* context);
bool find_chain_begun_by(const char* role, ChainVisit visit, void* context);
bool find_any_chain(ChainVisit visit, void* context);

// The next table, by number, that has releases or had some; invalid if there is none.
Oid next_table(Oid table);

// The chain of that number; null if there is none.
StoredChain* chain_numbered(const pg_uuid_t& id);

// Whether no later chain of its role has its name.
bool is_last(const StoredChain& chain);

// Whether both chains are of one name: of one role, and of one table or none.
bool have_one_name(const StoredChain& a, const StoredChain& b);

// Inserts the row of a chain. accounts: what it is charged to; where that is nothing, is_sound says
// whether it could have been, because its inputs are rows of a table, one each, once.
void insert_chain(const StoredChain& chain, List* accounts, bool is_sound);
void insert_level(const pg_uuid_t& chain, const double* epsilons, int count, bytea* noise);

// Deletes all chains that have one name with this one, with the transaction.
void delete_chains(const StoredChain& chain);

// Of a chain or a family that begins.
pg_uuid_t new_id();

}  // namespace idp
