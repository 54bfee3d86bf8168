fm_add_library(common_codec ALONE
  SOURCES agent_codec.cpp agent_wire_codec.cpp common_wire_codec.cpp message_bytes_codec.cpp
          probe_pipe.cpp
  DEPS fleetmark::common_base fleetmark::common_model fleetmark::schema
  PRIVATE_DEPS nlohmann_json::nlohmann_json)
