/// The fields of what a worker answers, for json_fields.h.
#pragma once

#include "cache/columns.h"
#include "runtime/device/device.h"
#include "templates/json_fields.h"

namespace foldtune {

inline const char* name(Outcome outcome) { return to_string(outcome); }
constexpr Outcome last_of(Outcome) { return Outcome::timeout; }

/// Records have the columns of the database as their fields.
template <class T, class Visit>
requires FieldsOf<T, MeasurementRecord> || FieldsOf<T, DeviceRecord>
void visit_fields(T& record, const Visit& visit) {
  visit_columns(record, [&](const ColumnInfo& column, auto& field) { visit(column.name, field); });
}

template <FieldsOf<DeviceInfo> T, class Visit>
void visit_fields(T& info, const Visit& visit) {
  visit("id", info.id);
  visit("record", info.record);
  visit("memory_bytes", info.memory_bytes);
}

}  // namespace foldtune
