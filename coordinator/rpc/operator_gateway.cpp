#include "coordinator/rpc/operator_gateway.h"

#include <algorithm>

#include "common/crypto/digest.h"
#include "common/rpc/kj_compat.h"
#include "common/rpc/wire_limits.h"
#include "coordinator/rpc/operator_wire_codec.h"
#include "coordinator/service/agents.h"
#include "coordinator/service/cancel.h"
#include "coordinator/service/enroll.h"
#include "coordinator/service/look.h"
#include "coordinator/service/pause.h"
#include "coordinator/service/submit.h"
#include "coordinator/service/why.h"

namespace fleetmark::coordinator::rpc {

namespace {

namespace wire = fleetmark::rpc;

constexpr auto kLongestWatch = std::chrono::seconds(60);
constexpr auto kWatchAgain = std::chrono::seconds(1);  // events that another coordinator stored
constexpr std::uint32_t kMostPiece = 4 * 1024 * 1024;
constexpr std::size_t kMostTableBytes = 6 * 1024 * 1024;  // below the client's limit of a message

FM_KJ_CLASS_BEGIN

class ReportFileServer final : public schema::ReportFile::Server {
 public:
  explicit ReportFileServer(ports::RenderedReport report)
      : report_(std::move(report)), sha256_(crypto::sha256Hex(report_.content)) {}

 protected:
  kj::Promise<void> info(InfoContext call) override {
    call.getResults().setName(report_.name);
    call.getResults().setSizeBytes(report_.content.size());
    call.getResults().setSha256(sha256_);
    return kj::READY_NOW;
  }
  kj::Promise<void> read(ReadContext call) override {
    auto offset = call.getParams().getOffset();
    std::size_t size = std::min(call.getParams().getSizeBytes(), kMostPiece);
    if (offset < report_.content.size()) {
      auto piece = std::string_view(report_.content).substr(offset, size);
      call.getResults().setBytes(
          capnp::Data::Reader(reinterpret_cast<const kj::byte*>(piece.data()), piece.size()));
    }
    return kj::READY_NOW;
  }

 private:
  ports::RenderedReport report_;
  std::string sha256_;
};

std::size_t textBytes(const ports::Table& table) {
  std::size_t total = 0;
  for (const auto& row : table.rows) {
    for (const auto& cell : row) total += 24 + (cell ? cell->size() : 0);
  }
  return total;
}

class OperatorGatewayServer final : public schema::OperatorGateway::Server {
 public:
  OperatorGatewayServer(GatewayContext& context, std::string who)
      : context_(context), who_(std::move(who)) {}

 protected:
  kj::Promise<void> submit(SubmitContext call) override {
    auto options = fromWire(call.getParams().getRequest());
    if (!options) {
      wire::toWire(options.error(), call.getResults().initResult().initError());
      return kj::READY_NOW;
    }
    service::SubmitRequest request;
    request.yaml = std::move(options->yaml);
    request.fileName = std::move(options->fileName);
    request.variables = std::move(options->variables);
    request.unmatched = options->wait ? service::Unmatched::kWait : service::Unmatched::kRefuse;
    request.requestKey = std::move(options->requestKey);
    request.submittedBy = who_;
    return context_.look
        .run<base::CampaignId>(
            [request = std::move(request), settings = context_.settings](WorkerContext& worker) {
              return service::submit(*worker.database, settings, request);
            })
        .then([this, call](base::Result<base::CampaignId>&& id) mutable {
          auto out = call.getResults().initResult();
          if (!id) return wire::toWire(id.error(), out.initError());
          out.setCampaignId(id->value);
          context_.workReady.raise();
        });
  }

  kj::Promise<void> status(StatusContext call) override {
    using Out = ports::CampaignStatus;
    auto campaign = named(call.getParams().getCampaign());
    return context_.look
        .run<Out>(
            [campaign, settings = context_.settings](WorkerContext& worker) -> base::Result<Out> {
              if (!campaign) return campaign.error();
              return service::campaignStatus(*worker.database, settings, *campaign);
            })
        .then([this, call](base::Result<Out>&& status) mutable {
          auto out = call.getResults().initResult();
          if (!status) return wire::toWire(status.error(), out.initError());
          rpc::toWire(status->summary, out.initOk().initSummary());
          auto steps = out.getOk().initSteps(static_cast<unsigned>(status->steps.size()));
          for (unsigned i = 0; i < steps.size(); ++i) {
            auto& step = status->steps[i];
            if (step.state == domain::StepState::kLeased) {
              step.progress = context_.progress.get(step.step);
            }
            rpc::toWire(step, steps[i]);
          }
        });
  }

  kj::Promise<void> list(ListContext call) override {
    using Out = std::vector<ports::CampaignSummary>;
    auto limit = call.getParams().getLimit();
    return context_.look
        .run<Out>([limit](WorkerContext& worker) {
          return service::listCampaigns(*worker.database, limit);
        })
        .then([call](base::Result<Out>&& campaigns) mutable {
          auto out = call.getResults().initResult();
          if (!campaigns) return wire::toWire(campaigns.error(), out.initError());
          auto list = out.initCampaigns(static_cast<unsigned>(campaigns->size()));
          for (unsigned i = 0; i < list.size(); ++i) rpc::toWire((*campaigns)[i], list[i]);
        });
  }

  kj::Promise<void> watch(WatchContext call) override {
    wire::allowCancellation(call);
    auto wait = std::clamp<std::int64_t>(call.getParams().getWaitNs(), 0,
                                         base::Nanos(kLongestWatch).count());
    auto cursor = wire::checkedText(call.getParams().getCursor(), wire::kMaxName, "the cursor");
    if (!cursor) {
      wire::toWire(cursor.error(), call.getResults().initResult().initError());
      return kj::READY_NOW;
    }
    base::CampaignId campaign{call.getParams().getCampaignId()};
    return watchOrWait(call, campaign, std::move(*cursor),
                       context_.timer.now() + wait * kj::NANOSECONDS);
  }

  kj::Promise<void> cancel(CancelContext call) override {
    using Out = domain::CampaignState;
    auto campaign = named(call.getParams().getCampaign());
    return context_.look
        .run<Out>([campaign](WorkerContext& worker) -> base::Result<Out> {
          if (!campaign) return campaign.error();
          return service::cancelCampaign(*worker.database, *campaign);
        })
        .then([this, call](base::Result<Out>&& state) mutable {
          auto out = call.getResults().initResult();
          if (!state) return wire::toWire(state.error(), out.initError());
          out.setState(std::string(domain::toString(*state)));
          context_.newEvents.raise();
        });
  }

  kj::Promise<void> pause(PauseContext call) override {
    return setPaused(call, ports::Pausing::kPause);
  }
  kj::Promise<void> resume(ResumeContext call) override {
    return setPaused(call, ports::Pausing::kResume);
  }

  kj::Promise<void> why(WhyContext call) override {
    auto job = wire::checkedText(call.getParams().getJob(), wire::kMaxName, "the job");
    return context_.look
        .run<ports::JobReasons>([job, settings = context_.settings](
                                    WorkerContext& worker) -> base::Result<ports::JobReasons> {
          if (!job) return job.error();
          return service::why(*worker.database, settings, *job);
        })
        .then([call](base::Result<ports::JobReasons>&& reasons) mutable {
          auto out = call.getResults().initResult();
          if (!reasons) return wire::toWire(reasons.error(), out.initError());
          rpc::toWire(*reasons, out.initOk());
        });
  }

  kj::Promise<void> setAgent(SetAgentContext call) override {
    auto agent =
        wire::checkedText(call.getParams().getAgent(), wire::kMaxName, "the agent's name or id");
    auto wish = fromWire(call.getParams().getWish());
    return context_.look
        .run<ports::AgentView>([agent, wish, settings = context_.settings](
                                   WorkerContext& worker) -> base::Result<ports::AgentView> {
          if (!agent) return agent.error();
          if (!wish) return wish.error();
          return service::setAgent(*worker.database, settings, *agent, *wish);
        })
        .then([this, call](base::Result<ports::AgentView>&& view) mutable {
          auto out = call.getResults().initResult();
          if (!view) return wire::toWire(view.error(), out.initError());
          base::log(base::LogLevel::kInfo, "agent.set",
                    {{"agent", view->id.toString()},
                     {"name", view->name},
                     {"state", view->state},
                     {"by", who_}});
          rpc::toWire(*view, out.initAgent());
          context_.workReady.raise();
        });
  }

  kj::Promise<void> agents(AgentsContext call) override {
    using Out = std::vector<ports::AgentView>;
    return context_.look
        .run<Out>([settings = context_.settings](WorkerContext& worker) {
          return service::listAgents(*worker.database, settings);
        })
        .then([call](base::Result<Out>&& agents) mutable {
          auto out = call.getResults().initResult();
          if (!agents) return wire::toWire(agents.error(), out.initError());
          auto list = out.initAgents(static_cast<unsigned>(agents->size()));
          for (unsigned i = 0; i < list.size(); ++i) rpc::toWire((*agents)[i], list[i]);
        });
  }

  kj::Promise<void> report(ReportContext call) override {
    using Out = ports::RenderedReport;
    auto campaign = named(call.getParams().getCampaign());
    auto format = fromWire(call.getParams().getFormat());
    return context_.look
        .run<Out>([campaign, format,
                   render = context_.render](WorkerContext& worker) -> base::Result<Out> {
          if (!campaign) return campaign.error();
          if (!format) return format.error();
          FM_TRY_ASSIGN(auto data, service::reportData(*worker.database, *campaign));
          return render(data, *format);
        })
        .then([call](base::Result<Out>&& report) mutable {
          auto out = call.getResults().initResult();
          if (!report) return wire::toWire(report.error(), out.initError());
          out.setFile(kj::heap<ReportFileServer>(std::move(*report)));
        });
  }

  kj::Promise<void> sql(SqlContext call) override {
    auto statement =
        wire::checkedText(call.getParams().getStatement(), wire::kMaxLogText, "the statement");
    auto maxRows = call.getParams().getMaxRows();
    return context_.look
        .run<ports::Table>(
            [statement, maxRows](WorkerContext& worker) -> base::Result<ports::Table> {
              if (!statement) return statement.error();
              FM_TRY_ASSIGN(auto table, service::sql(*worker.database, *statement, maxRows));
              if (textBytes(table) > kMostTableBytes) {
                return base::invalid("the answer is over " +
                                     base::formatBytes({std::int64_t{kMostTableBytes}}) +
                                     "; ask for fewer rows (limit) or columns");
              }
              return table;
            })
        .then([call](base::Result<ports::Table>&& table) mutable {
          auto out = call.getResults().initResult();
          if (!table) return wire::toWire(table.error(), out.initError());
          rpc::toWire(*table, out.initTable());
        });
  }

  kj::Promise<void> enroll(EnrollContext call) override {
    using Out = ports::Enrolment;
    auto role = fromWire(call.getParams().getRole());
    auto name = wire::checkedText(call.getParams().getName(), wire::kMaxName, "the name");
    auto request =
        wire::checkedText(call.getParams().getRequestPem(), wire::kMaxMessage, "the request");
    return context_.look
        .run<Out>([this, role, name, request](WorkerContext& worker) -> base::Result<Out> {
          if (!role) return role.error();
          if (!name) return name.error();
          if (!request) return request.error();
          return service::enroll(*worker.database, context_.authority, context_.clock, *role, *name,
                                 *request);
        })
        .then([call](base::Result<Out>&& enrolment) mutable {
          auto out = call.getResults().initResult();
          if (!enrolment) return wire::toWire(enrolment.error(), out.initError());
          auto ok = out.initOk();
          ok.setCertificatePem(enrolment->certificatePem);
          ok.setCaPem(enrolment->caPem);
          ok.setSubject(enrolment->subject);
        });
  }

 private:
  static base::Result<std::string> named(capnp::Text::Reader campaign) {
    return wire::checkedText(campaign, wire::kMaxName, "the campaign's name or id");
  }

  template <typename Context>
  kj::Promise<void> setPaused(Context call, ports::Pausing pausing) {
    using Out = domain::CampaignState;
    auto campaign = named(call.getParams().getCampaign());
    return context_.look
        .template run<Out>([campaign, pausing](WorkerContext& worker) -> base::Result<Out> {
          if (!campaign) return campaign.error();
          return service::setCampaignPaused(*worker.database, *campaign, pausing);
        })
        .then([this, call](base::Result<Out>&& state) mutable {
          auto out = call.getResults().initResult();
          if (!state) return wire::toWire(state.error(), out.initError());
          out.setState(std::string(domain::toString(*state)));
          context_.newEvents.raise();
          context_.workReady.raise();
        });
  }

  kj::Promise<void> watchOrWait(WatchContext call, base::CampaignId campaign, std::string cursor,
                                kj::TimePoint deadline) {
    using Events = std::vector<ports::CampaignEvent>;
    auto woken = context_.newEvents.wait();  // from before the look: no wake is missed
    return context_.look
        .run<Events>([campaign, cursor](WorkerContext& worker) {
          return service::campaignEvents(*worker.database, campaign, cursor);
        })
        .then([this, call, campaign, cursor, deadline,
               woken = kj::mv(woken)](base::Result<Events>&& events) mutable -> kj::Promise<void> {
          if (!events) {
            wire::toWire(events.error(), call.getResults().initResult().initError());
            return kj::READY_NOW;
          }
          auto now = context_.timer.now();
          if (!events->empty() || now >= deadline) {
            auto list =
                call.getResults().initResult().initEvents(static_cast<unsigned>(events->size()));
            for (unsigned i = 0; i < list.size(); ++i) rpc::toWire((*events)[i], list[i]);
            return kj::READY_NOW;
          }
          auto pause = kj::min(deadline - now, base::Nanos(kWatchAgain).count() * kj::NANOSECONDS);
          return woken.exclusiveJoin(context_.timer.afterDelay(pause))
              .then([this, call, campaign, cursor, deadline]() mutable {
                return watchOrWait(call, campaign, cursor, deadline);
              });
        });
  }

  GatewayContext& context_;
  std::string who_;
};

FM_KJ_CLASS_END

}  // namespace

schema::OperatorGateway::Client makeOperatorGateway(GatewayContext& context, std::string who) {
  return kj::heap<OperatorGatewayServer>(context, std::move(who));
}

}  // namespace fleetmark::coordinator::rpc
