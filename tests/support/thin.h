// How much less the tests do under the sanitizers, which cost about half that factor: they look for what
// any of the cases shows.
#pragma once

namespace idp::test {

#ifdef IDP_SANITIZE
inline constexpr int kThin = 16;
#else
inline constexpr int kThin = 1;
#endif

}  // namespace idp::test
