#include "extension/catalog/column_reference.h"

#include "extension/pg/catalog_lookup.h"
#include "extension/pg/sql_function.h"

extern "C" {
#include "catalog/namespace.h"
#include "nodes/value.h"
#include "utils/syscache.h"
#include "utils/varlena.h"
}

namespace idp {

namespace {

constexpr int kNumberBits = 16;

Oid table_of(Datum reference) {
  return static_cast<Oid>(static_cast<uint64>(DatumGetInt64(reference)) >> kNumberBits);
}

// The name of a column; null if there is none of that number (any more).
char* name_of(Oid table, AttrNumber number) {
  HeapTuple tuple = SearchSysCacheAttNum(table, number);
  if (!HeapTupleIsValid(tuple)) return nullptr;
  char* name = pstrdup(NameStr(reinterpret_cast<Form_pg_attribute>(GETSTRUCT(tuple))->attname));
  ReleaseSysCache(tuple);
  return name;
}

Datum column_reference_in(FunctionCallInfo fcinfo) {
  const char* text = PG_GETARG_CSTRING(0);
  if (strcmp(text, "-") == 0) PG_RETURN_DATUM(column_reference(InvalidOid, InvalidAttrNumber));
  List* names = textToQualifiedNameList(cstring_to_text(text));
  if (list_length(names) != 3) {
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
             errmsg("invalid input syntax for type %s: \"%s\"", "idp.column_reference", text),
             errhint("Give schema.table.column.")));
  }
  const Oid table = table_named(qualified_name(strVal(linitial(names)), strVal(lsecond(names))));
  const AttrNumber number =
      OidIsValid(table) ? get_attnum(table, strVal(lthird(names))) : InvalidAttrNumber;
  PG_RETURN_DATUM(column_reference(table, number));
}

Datum column_reference_out(FunctionCallInfo fcinfo) {
  const Oid table = table_of(PG_GETARG_DATUM(0));
  const char* name = qualified_name(table);
  const AttrNumber number = number_in(table, PG_GETARG_DATUM(0));
  const char* column = number > 0 ? name_of(table, number) : nullptr;
  if (name == nullptr || column == nullptr) PG_RETURN_CSTRING(pstrdup("-"));
  PG_RETURN_CSTRING(psprintf("%s.%s", name, quote_identifier(column)));
}

}  // namespace

Datum column_reference(Oid table, AttrNumber number) {
  if (number <= 0) table = InvalidOid;
  const uint64 bits =
      OidIsValid(table) ? (uint64{table} << kNumberBits) | static_cast<uint16>(number) : 0;
  return Int64GetDatum(static_cast<int64>(bits));
}

AttrNumber number_in(Oid table, Datum reference) {
  const auto number = static_cast<AttrNumber>(DatumGetInt64(reference) & PG_UINT16_MAX);
  const bool is_there = OidIsValid(table) && table_of(reference) == table && name_of(table, number);
  return is_there ? number : InvalidAttrNumber;
}

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

IDP_FUNCTION(idp_column_reference_in, column_reference_in);
IDP_FUNCTION(idp_column_reference_out, column_reference_out);

}  // extern "C"
#pragma GCC visibility pop
