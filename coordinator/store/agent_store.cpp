#include "coordinator/store/agent_store.h"

#include "common/crypto/digest.h"

namespace fleetmark::coordinator::store {

namespace {

constexpr Statement kHost{"agent_host", R"sql(
INSERT INTO host (machine_id, hostname) VALUES ($1, $2)
ON CONFLICT (machine_id) DO UPDATE SET hostname = excluded.hostname, last_seen = now()
RETURNING id)sql"};

// Written only when new; the second statement finds it either way.
constexpr Statement kEnvironment{"agent_environment", R"sql(
INSERT INTO environment (sha256, os, arch, cpu_model, virtualisation, kernel, os_image,
                         effective_cpus, memory_bytes, document)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::jsonb)
ON CONFLICT (sha256) DO NOTHING)sql"};
constexpr Statement kEnvironmentId{"agent_environment_id",
                                   "SELECT id FROM environment WHERE sha256 = $1"};

constexpr Statement kNonce{"agent_nonce",
                           "SELECT instance_nonce FROM agent WHERE id = $1 FOR NO KEY UPDATE"};

constexpr Statement kRegister{"agent_register", R"sql(
INSERT INTO agent AS a (id, name, version, labels, capabilities, host_id, environment_id,
                        machine_key, boot_id, instance_nonce, session, clock_offset_ns)
VALUES ($1, $2, $3, $4::jsonb, $5::text[], $6, $7, $8, nullif($9, ''), $10, 1,
        $11::bigint - unix_ns(statement_timestamp()))
ON CONFLICT (id) DO UPDATE SET name = excluded.name, version = excluded.version,
  labels = excluded.labels, capabilities = excluded.capabilities, host_id = excluded.host_id,
  environment_id = excluded.environment_id, machine_key = excluded.machine_key,
  boot_id = excluded.boot_id, instance_nonce = excluded.instance_nonce, session = a.session + 1,
  clock_offset_ns = excluded.clock_offset_ns, registered_at = now()
RETURNING session)sql"};

constexpr Statement kSeen{"agent_seen", R"sql(
INSERT INTO agent_heartbeat (agent_id, session, seen_at) VALUES ($1, $2, statement_timestamp())
ON CONFLICT (agent_id) DO UPDATE
  SET session = excluded.session, seen_at = excluded.seen_at, disconnected_at = NULL)sql"};

constexpr Statement kExpireLeases{
    "agent_expire_leases",
    "UPDATE lease SET expires_at = least(expires_at, statement_timestamp()) WHERE agent_id = $1"};

constexpr Statement kHeartbeat{"agent_heartbeat", R"sql(
UPDATE agent_heartbeat SET seen_at = statement_timestamp(), disconnected_at = NULL
WHERE agent_id = $1 AND session = $2 RETURNING agent_id)sql"};

constexpr Statement kKnown{"agent_known",
                           "SELECT session FROM agent_heartbeat WHERE agent_id = $1"};

constexpr Statement kDisconnected{"agent_disconnected", R"sql(
UPDATE agent_heartbeat SET disconnected_at = statement_timestamp()
WHERE agent_id = $1 AND session = $2)sql"};

// Length-prefixed, so that no two different machines have the same text.
std::string environmentSha256(const model::HostFacts& host) {
  crypto::Sha256 digest;
  auto add = [&digest](std::string_view text) {
    digest.update(std::to_string(text.size()) + ":");
    digest.update(text);
  };
  for (const auto* text : {&host.os, &host.arch, &host.cpuModel, &host.virtualisation, &host.kernel,
                           &host.osImage, &host.environmentJson}) {
    add(*text);
  }
  std::string cpus;
  appendDouble(cpus, host.effectiveCpus);
  add(cpus);
  add(std::to_string(host.memoryBytes));
  return digest.finish();
}

std::int64_t storeEnvironment(Session& session, const model::HostFacts& host) {
  std::string sha256 = environmentSha256(host);
  std::optional<double> cpus;
  if (host.effectiveCpus > 0) cpus = host.effectiveCpus;
  std::optional<std::int64_t> memory;
  if (host.memoryBytes > 0) memory = host.memoryBytes;
  session.run(kEnvironment,
              Params::of(Binary{sha256}, host.os, host.arch, host.cpuModel, host.virtualisation,
                         host.kernel, host.osImage, cpus, memory, Json{host.environmentJson}));
  return RowReader(session.runOne(kEnvironmentId, Params::of(Binary{sha256}))).int64();
}

}  // namespace

base::Result<ports::Registration> PostgresAgentStore::registerAgent(
    const model::AgentHello& hello) {
  return session_.guard([&]() -> base::Result<ports::Registration> {
    // Where a machine gave no id its agent stands for it.
    std::string own = "agent " + hello.agent.toString();
    std::string machine = hello.host.machineId.empty() ? own : hello.host.machineId;
    std::string key = hello.host.machineKey.empty() ? machine : hello.host.machineKey;
    std::int64_t host =
        RowReader(session_.runOne(kHost, Params::of(machine, hello.host.hostname))).int64();
    std::int64_t environment = storeEnvironment(session_, hello.host);
    auto before = session_.runMaybe(kNonce, Params::of(hello.agent));
    bool sameProcess = before && RowReader(*before).text() == repairText(hello.instanceNonce);
    std::int64_t session =
        RowReader(session_.runOne(
                      kRegister, Params::of(hello.agent, hello.name, hello.version,
                                            Json{labelsJson(hello.labels)}, TextArray{hello.probes},
                                            host, environment, key, hello.host.bootId,
                                            hello.instanceNonce, hello.wallClockNs)))
            .int64();
    session_.run(kSeen, Params::of(hello.agent, session));
    if (before && !sameProcess) session_.run(kExpireLeases, Params::of(hello.agent));
    return ports::Registration{hello.agent, session};
  });
}

base::Status PostgresAgentStore::heartbeat(const base::AgentId& agent, std::int64_t session) {
  return session_.guard([&]() -> base::Status {
    if (session_.runMaybe(kHeartbeat, Params::of(agent, session))) return {};
    auto known = session_.runMaybe(kKnown, Params::of(agent));
    if (!known) {
      return base::notFound("agent " + agent.toString() + " has never registered; register first");
    }
    return base::conflict("agent " + agent.toString() + " is in session " +
                          RowReader(*known).text() + ", this is session " +
                          std::to_string(session) + "; register again");
  });
}

base::Status PostgresAgentStore::disconnected(const base::AgentId& agent, std::int64_t session) {
  return session_.guard([&]() -> base::Status {
    session_.run(kDisconnected, Params::of(agent, session));
    return {};
  });
}

}  // namespace fleetmark::coordinator::store
