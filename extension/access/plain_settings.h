// Settings of plain SQL: whether plain aggregates over hidden rows are answered, and what each new
// number costs.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Makes the settings known to the server. Once, when the library is loaded.
void define_settings();

// idp.rewrite: whether plain aggregates over hidden rows become private ones.
bool rewrites_plain_aggregates();

// The epsilon of each of these: idp.epsilon, or, where nobody set that, the default of the accounts
// that are asked.
double epsilon_of_answers();
// Whether that is so, and what it is from now on; 0 if they have none.
bool takes_epsilon_of_accounts();
void take_epsilon_of_accounts(double default_epsilon);

// idp.delta: the delta of each decision which groups are shown, where nobody declared their keys.
double delta_of_groups();

}  // namespace idp
