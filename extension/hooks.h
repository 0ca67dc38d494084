// Where the server calls this library beside its SQL functions. The one place that installs hooks;
// they dispatch, and nothing else.
#pragma once

namespace idp {

void install_hooks();

}  // namespace idp
