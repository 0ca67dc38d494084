// What the catalogs of Citus say about a table. They are no part of the server: where they are not
// there, nothing is distributed.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Whether Citus has distributed the table.
bool is_citus_table(Oid table);

// How it has: by the hash of a column, or by none (a reference table, one with a single shard, one
// that only Citus knows). 0 if it has not; other letters stand for ways that are not known here.
namespace CitusMethod {
constexpr char kHash = 'h';
constexpr char kNone = 'n';
}  // namespace CitusMethod
char citus_method_of(Oid table);

// The table that a relation of this server is a shard of; invalid if it is none.
Oid citus_table_of_shard(Oid relation);

// Whether each server has all rows of the table.
bool is_reference_table(Oid table);

// Of tables that are distributed by the hash of a column: the number of the column, and the group
// of tables whose shards lie beside each other, those of equal values in one server. 0 of others.
struct HashDistribution {
  int column;
  int group;
};
HashDistribution hash_distribution_of(Oid table);

// How many shards of a table one server has, of that which has the most.
int most_shards_of_one_server(Oid table);

// Whether this server is a worker of a cluster: another one decides about its tables.
bool is_citus_worker();

}  // namespace idp
