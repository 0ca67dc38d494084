// Settings of plain SQL: whether plain aggregates over hidden rows are answered, and what each new
// number costs.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Makes the settings known to the server. Once, when the library is loaded.
void define_settings();

// idp.rewrite: whether plain aggregates over hidden rows become private ones.
bool rewrites_plain_aggregates();

// idp.epsilon: the epsilon of each of these.
double epsilon_of_answers();

// idp.delta: the delta of each decision which groups are shown, where nobody declared their keys.
double delta_of_groups();

}  // namespace idp
