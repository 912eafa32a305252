require "json"

# Writes down each request to the API and to pages as it came, and plays the faults that a test has asked for.
class Recorder
  FAULTS = []
  LOCK = Mutex.new

  def initialize(app)
    @app = app
    @file = File.open(File.join(ENV.fetch("AHOY_STATE"), "requests.ndjson"), "a")
    @file.sync = true
  end

  def call(env)
    return @app.call(env) if env["PATH_INFO"].start_with?("/_site", "/up")

    came = Time.now.to_f
    # An engine that answers leaves its own part of the path behind.
    path = env["PATH_INFO"]
    body = env["rack.input"].read.to_s
    env["rack.input"].rewind
    fault = take(path, body)
    sleep(fault["delay"].to_f) if fault && fault["delay"]
    response = answer(env, body, fault)
    write(env, path, body, came, response ? response[0] : 0)
    response || hang_up(env)
  end

  private

  # Nil for an answer that never comes.
  def answer(env, body, fault)
    plays = fault && (fault["status"] || fault["hangup"])
    return @app.call(env) unless plays

    @app.call(env) if fault["after"]
    return nil if fault["hangup"]

    text = fault["echo"] ? echo(body) : fault["body"] || "fault\n"
    type = fault["echo"] ? "application/json" : "text/plain"
    [fault["status"], {"Content-Type" => type}.merge(fault["headers"] || {}), [text]]
  end

  def echo(body)
    sent = JSON.parse(body)
    visit, visitor = sent["visit_token"], sent["visitor_token"]
    JSON.generate(visit_token: visit, visitor_token: visitor, visit_id: visit, visitor_id: visitor)
  end

  def hang_up(env)
    env["rack.hijack"].call
    env["rack.hijack_io"].close
    [200, {}, []]
  end

  def take(path, body)
    LOCK.synchronize do
      fault = FAULTS.find do |f|
        f["times"] > 0 && path.start_with?(f["path"]) && (!f["contains"] || body.include?(f["contains"]))
      end
      fault["times"] -= 1 if fault
      fault&.dup
    end
  end

  def write(env, path, body, came, status)
    fields = env.select { |name, _| name.start_with?("HTTP_") || %w[CONTENT_TYPE CONTENT_LENGTH].include?(name) }
    fields = fields.transform_keys { |name| name.delete_prefix("HTTP_").downcase.tr("_", "-") }
    line = JSON.generate(
      method: env["REQUEST_METHOD"], path: path, query: env["QUERY_STRING"], fields: fields,
      body: body.dup.force_encoding("UTF-8").scrub, at: came, status: status
    )
    LOCK.synchronize { @file.write("#{line}\n") }
  end
end
