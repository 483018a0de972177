# Debian packages by cpack: libberth0, libberth-dev, and berth where the program is built. Configured for
# /usr, as tools/package does: another prefix has its libraries elsewhere.
# The name libberth0 stays while the soname changes with every minor version (0.1, 0.2): each is one
# installation's only one, which the exact dependencies between the three see to.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME berth)
set(CPACK_PACKAGE_VENDOR Berth)
set(CPACK_PACKAGE_CONTACT "The authors of Berth <berth@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)

set(CPACK_COMPONENTS_ALL library development)
if(BERTH_TOOLS)
  list(APPEND CPACK_COMPONENTS_ALL program)
endif()
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY =)
set(exactly "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libberth0)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "Berth decides which node of a Kubernetes cluster a pod runs on, as kube-scheduler of a chosen version
would, without an API server and some thousand times as fast.

This package holds the shared library.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libberth-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libberth0 ${exactly}")
set(parts)
if(BERTH_HWLOC)
  list(APPEND parts libhwloc-dev)
endif()
if(BERTH_KUBE)
  list(APPEND parts libsimdjson-dev libre2-dev libyaml-dev zlib1g-dev libstdc++-dev)
endif()
list(JOIN parts ", " CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS) # of the static library
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Berth decides which node of a Kubernetes cluster a pod runs on, as kube-scheduler of a chosen version
would, without an API server and some thousand times as fast.

This package holds the headers, the static library, a CMake package, a pkg-config file and examples.")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME berth)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "libberth0 ${exactly}")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "Berth decides which node of a Kubernetes cluster a pod runs on, as kube-scheduler of a chosen version
would, without an API server and some thousand times as fast.

This package holds the program: placement, capacity, drains and explanation of a cluster dump, replays
of traces, synthetic clusters and benchmarks.")
include(CPack)
