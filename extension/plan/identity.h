// A part of a query as text in which nothing is lost but what people called it: two parts with the
// same identity are computed alike. Functions, operators, collations, types and columns are there
// by number. Where the text of the query had them, and aliases, are left out.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

char* identity_of(const void* node);

// The elements of a list in the order of their identities, or of those of what told() names of
// them.
List* in_order_of_identity(const List* elements, const void* (*told)(const void*) = nullptr);

// Whether the value of a parameter of the query matters to what has this identity.
bool says_parameter(const char* identity);

// An identity of one length: it is written into plans, and read from them. It says likewise whether
// parameters matter, also as a part of another one.
char* digest_of_identity(const void* node);
// The same of an identity.
char* digest_of_text(const char* identity);

// What tells the value of a subquery from that of others, as far as the query that it stands in
// does not: as is_of_no_time(), whose moments are added. Empty if that is not known.
char* digest_of_value(Query* subquery, struct ParamListInfoData* parameters, List** moments);

// Whether the executor sets something that an expression, or a query, reads.
bool has_executor_parameter(Node* node);

// Whether a cast by text, as quantity::text, has the same values under all settings.
bool is_plain_cast(const CoerceViaIO* text);

// Whether a call joins values as texts, all of types that are written alike under all settings: it
// is only STABLE for the sake of others.
bool joins_plain_texts(const Node* node);

// Whether the value of an expression follows settings other than those of dates and times.
bool follows_settings(Node* expression);

// Whether nothing that a query computes follows any setting, but for what is done with its answers.
bool is_without_settings(Query* query);

// Whether an expression hangs on who asks, on settings other than those of dates and times, or on
// the time.
bool follows_session(Node* expression);

// Whether what a query reads is the same at all times, but for the rows and for the values of some
// expressions: its subqueries and CTEs call nothing else that tells the time, and nothing that
// follows other settings than those of dates and times. These expressions, the moments (List of
// Node), have one value in all of a statement, such as date_trunc('month', now()). Values of
// parameters that the plan is made for may be read as instants.
bool is_of_no_time(const Query* query, struct ParamListInfoData* parameters, List** moments);

}  // namespace idp
