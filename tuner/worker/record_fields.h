/// The fields of what a worker answers, for json_fields.h.
#pragma once

#include "cache/config_store.h"
#include "runtime/device.h"
#include "tuner/json_fields.h"

namespace foldtune {

inline const char* name(Outcome outcome) { return to_string(outcome); }
constexpr Outcome last_of(Outcome) { return Outcome::timeout; }

template <FieldsOf<ProblemKey> T, class Visit>
void visit_fields(T& key, const Visit& visit) {
  visit("family", key.family);
  visit("op", key.op);
  visit("element_type", key.element_type);
  visit("accumulator_type", key.accumulator_type);
  visit("alignment", key.alignment);
  visit("determinism", key.determinism);
  visit("options", key.options);
  visit("size_class", key.size_class);
}

template <FieldsOf<MeasurementRecord> T, class Visit>
void visit_fields(T& record, const Visit& visit) {
  visit("problem", record.problem);
  visit("count", record.count);
  visit("bytes", record.bytes);
  visit("params", record.params);
  visit("is_default", record.is_default);
  visit("round", record.round);
  visit("outcome", record.outcome);
  visit("failure", record.failure);
  visit("samples_us", record.samples_us);
  visit("median_us", record.median_us);
  visit("mad_us", record.mad_us);
  visit("discarded_samples", record.discarded_samples);
  visit("hot_us", record.hot_us);
  visit("stream_us", record.stream_us);
  visit("latency_us", record.latency_us);
  visit("registers", record.registers);
  visit("shared_bytes", record.shared_bytes);
  visit("local_bytes", record.local_bytes);
  visit("occupancy", record.occupancy);
  visit("compile_ms", record.compile_ms);
  visit("sm_clock_mhz", record.sm_clock_mhz);
  visit("memory_clock_mhz", record.memory_clock_mhz);
}

template <FieldsOf<DeviceRecord> T, class Visit>
void visit_fields(T& record, const Visit& visit) {
  visit("kind", record.kind);
  visit("name", record.name);
  visit("architecture", record.architecture);
  visit("multiprocessor_count", record.multiprocessor_count);
  visit("memory_clock_khz", record.memory_clock_khz);
  visit("memory_bus_bits", record.memory_bus_bits);
  visit("l2_bytes", record.l2_bytes);
  visit("driver", record.driver);
}

template <FieldsOf<DeviceInfo> T, class Visit>
void visit_fields(T& info, const Visit& visit) {
  visit("id", info.id);
  visit("record", info.record);
  visit("memory_bytes", info.memory_bytes);
}

}  // namespace foldtune
