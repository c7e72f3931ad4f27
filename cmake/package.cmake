# The library that other projects link, foldtune::foldtune, and what installs and packages it. It is
# made of the objects of the folders' static libraries, which our own programs and tests link.
include(CMakePackageConfigHelpers)

set(parts foldtune foldtune_device foldtune_support foldtune_cache foldtune_templates)
set_target_properties(${parts} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
list(TRANSFORM parts REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
add_library(foldtune_library ${objects})
add_library(foldtune::foldtune ALIAS foldtune_library)
get_target_property(library_type foldtune_library TYPE)
# Before 1.0 a minor version may change the binary interface.
set_target_properties(foldtune_library PROPERTIES
  OUTPUT_NAME foldtune
  EXPORT_NAME foldtune
  LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  EXCLUDE_FROM_ALL $<NOT:$<BOOL:${FOLDTUNE_INSTALL}>>)
target_compile_features(foldtune_library INTERFACE cxx_std_20)
target_include_directories(foldtune_library INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/runtime/include>
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/templates/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(foldtune_library PRIVATE
  $<IF:$<BOOL:${FOLDTUNE_STATIC}>,fmt::fmt-header-only,fmt::fmt>
  SQLiteCpp SQLite::SQLite3 Boost::context Threads::Threads ${CMAKE_DL_LIBS})
if(FOLDTUNE_SANITIZE)
  target_link_options(foldtune_library PUBLIC -fsanitize=${FOLDTUNE_SANITIZE})
endif()
if(library_type STREQUAL SHARED_LIBRARY)
  # Hidden visibility hides what is ours; the rest comes with the libraries that are linked statically
  # and from templates of others.
  set(version_script ${PROJECT_SOURCE_DIR}/cmake/foldtune.map)
  target_link_options(foldtune_library PRIVATE LINKER:--version-script=${version_script})
  set_target_properties(foldtune_library PROPERTIES LINK_DEPENDS ${version_script})
endif()

if(NOT FOLDTUNE_INSTALL)
  return()
endif()

install(TARGETS foldtune_program)
install(TARGETS foldtune_worker DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/foldtune)
install(TARGETS foldtune_library EXPORT foldtuneTargets)
install(DIRECTORY runtime/include/ templates/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES LICENSE NOTICE THIRD_PARTY.md CHANGELOG.md cmake/copyright
        DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/foldtune)
install(EXPORT foldtuneTargets NAMESPACE foldtune:: DESTINATION ${config_folder})
configure_package_config_file(cmake/foldtuneConfig.cmake.in ${PROJECT_BINARY_DIR}/foldtuneConfig.cmake
  INSTALL_DESTINATION ${config_folder} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/foldtuneConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/foldtuneConfig.cmake ${PROJECT_BINARY_DIR}/foldtuneConfigVersion.cmake
        DESTINATION ${config_folder})

# Relative to the file itself, so that an installation can be moved.
set(pkgconfig_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX}/${pkgconfig_folder}
           OUTPUT_VARIABLE prefix_from_pkgconfig)
set(pkgconfig_libraries "")
if(library_type STREQUAL STATIC_LIBRARY)
  set(pkgconfig_libraries "-lSQLiteCpp -lsqlite3 -lboost_context -lfmt -lstdc++ -lm -lpthread -ldl")
endif()
configure_file(cmake/foldtune.pc.in ${PROJECT_BINARY_DIR}/foldtune.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/foldtune.pc DESTINATION ${pkgconfig_folder})

if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "The Foldtune authors")
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The Foldtune authors")
set(CPACK_PACKAGE_DESCRIPTION "Kernels are compiled at run time, timed on the GPU in hand, and the best one \
for each problem and size is kept in a database. This package has the library, for C++ and C, and the \
command foldtune.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "g++")  # which the CPU device compiles kernels with
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)
