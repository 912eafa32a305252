# The smallest Rails application that the gem works in. Whatever is written goes to the state folder.
require "logger"
require "rails"
require "active_record/railtie"
require "active_job/railtie"
require "action_controller/railtie"
require "ahoy_matey"
require_relative "../lib/recorder"

STATE = ENV.fetch("AHOY_STATE")
ENV["DATABASE_URL"] = "sqlite3:#{File.join(STATE, "ahoy.sqlite3")}?pool=8&timeout=5000"

# The engine looks for its controllers and routes below its root, where Debian's package has none.
controllers = ENV["AHOY_CONTROLLERS"].to_s
Ahoy::Engine.config.root = controllers unless controllers.empty?

def setting(name, usual)
  text = ENV[name].to_s
  return usual if text.empty?

  text.match?(/\A\d+\z/) ? text.to_i : text == "true"
end

class Ahoy::Store < Ahoy::DatabaseStore
end

Ahoy.api = true
Ahoy.geocode = false # looks addresses up over the network
Ahoy.quiet = false
Ahoy.track_bots = setting("AHOY_TRACK_BOTS", false)
Ahoy.max_events_per_request = setting("AHOY_MAX_EVENTS_PER_REQUEST", 10)
Ahoy.max_content_length = setting("AHOY_MAX_CONTENT_LENGTH", 8192)

# What the gem swallows in production: it answers 200 all the same.
Safely.report_exception_method = ->(error) { warn "swallowed: #{error.class}: #{error.message}" }

# The tests kill the site, never the machine: nothing needs to be on the disk, and readers come beside the site.
module QuickConnection
  def configure_connection
    super
    execute("PRAGMA synchronous = OFF")
  end
end

class Site < Rails::Application
  config.root = File.expand_path("..", __dir__)
  config.load_defaults 6.1
  config.eager_load = true
  config.consider_all_requests_local = false
  config.secret_key_base = "0" * 64
  config.hosts.clear
  config.log_level = :warn
  config.logger = ActiveSupport::Logger.new(File.join(STATE, "rails.log"))
  config.active_job.queue_adapter = :inline
  config.cache_store = :memory_store
  config.paths["tmp"] = File.join(STATE, "tmp")
  config.session_store :cookie_store, key: "_site_session"
  config.middleware.insert_before 0, Recorder
  initializer "site.quick" do
    require "active_record/connection_adapters/sqlite3_adapter"
    ActiveRecord::ConnectionAdapters::SQLite3Adapter.prepend(QuickConnection)
  end
end
