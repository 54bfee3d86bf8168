// What an operator can ask of a coordinator, as the command sees it: blocking calls, any thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/base/units.h"
#include "coordinator/ports/views.h"

namespace fleetmark::coordinator::ports {

enum class ReportFormat { kMarkdown, kJson, kCsv, kHtml };

std::string_view toString(ReportFormat format);  // md | json | csv | html
std::optional<ReportFormat> parseReportFormat(std::string_view word);
const std::vector<ReportFormat>& allReportFormats();  // as they are written into a folder

struct RenderedReport {
  std::string name;  // report.md, result.json, samples.csv
  std::string content;
};

enum class Role { kAgent, kOperator };

struct SubmitOptions {
  std::string yaml;
  std::string fileName;
  std::map<std::string, std::string> variables;
  bool wait = false;  // accept work that no agent online can do
  std::string requestKey;
};

struct CampaignStatus {
  CampaignSummary summary;
  std::vector<StepStatus> steps;
};

struct Enrolment {
  std::string certificatePem;
  std::string caPem;
  std::string subject;  // uuid
};

// Errors: those of the use case; kUnavailable when no coordinator could be reached in time.
class OperatorPort {
 public:
  virtual ~OperatorPort() = default;
  virtual base::Result<base::CampaignId> submit(const SubmitOptions& options) = 0;
  virtual base::Result<CampaignStatus> status(const std::string& campaign) = 0;
  virtual base::Result<std::vector<CampaignSummary>> list(std::uint32_t limit) = 0;
  // Events after the cursor; waits up to `wait` for the first.
  virtual base::Result<std::vector<CampaignEvent>> watch(base::CampaignId id,
                                                         const std::string& cursor,
                                                         base::Nanos wait) = 0;
  virtual base::Result<domain::CampaignState> cancel(const std::string& campaign) = 0;
  // Nothing of the campaign is handed out until it is resumed; what runs goes on. The campaign's
  // state. kConflict: it has ended.
  virtual base::Result<domain::CampaignState> pause(const std::string& campaign) = 0;
  virtual base::Result<domain::CampaignState> resume(const std::string& campaign) = 0;
  // What holds a job's steps back. `job`: its id, or "step " and that of one of its steps.
  virtual base::Result<JobReasons> why(const std::string& job) = 0;
  virtual base::Result<std::vector<AgentView>> agents() = 0;
  // `agent`: a name or an id. The agent as it is afterwards.
  virtual base::Result<AgentView> setAgent(const std::string& agent, AgentWish wish) = 0;
  virtual base::Result<RenderedReport> report(const std::string& campaign, ReportFormat format) = 0;
  virtual base::Result<Table> sql(const std::string& statement, std::uint32_t maxRows) = 0;
  virtual base::Result<Enrolment> enroll(Role role, const std::string& name,
                                         const std::string& requestPem) = 0;
};

}  // namespace fleetmark::coordinator::ports
