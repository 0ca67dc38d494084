# Installs the headers of the core from `headers` below `to`: "core/grid/key.h" becomes
# <idp/grid/key.h>, there and in the includes.
file(GLOB_RECURSE found RELATIVE "${headers}" "${headers}/*.h")
foreach(header ${found})
  file(READ "${headers}/${header}" text)
  string(REPLACE "#include \"core/" "#include \"idp/" text "${text}")
  file(WRITE "${to}/${header}" "${text}")
  message(STATUS "Installing: ${to}/${header}")
endforeach()
