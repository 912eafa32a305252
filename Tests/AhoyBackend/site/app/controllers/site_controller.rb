# What a test asks of the site itself.
class SiteController < ApplicationController
  skip_before_action :track_ahoy_visit, :set_ahoy_cookies, raise: false
  skip_forgery_protection

  def show
    own = !File.directory?(File.join(Ahoy::Engine.root, "app/controllers/ahoy"))
    render json: {
      gem: Ahoy::VERSION, rails: Rails::VERSION::STRING, ruby: RUBY_VERSION, controllers: own ? "ours" : "source",
      event_columns: Ahoy::Event.column_names, max_events_per_request: Ahoy.max_events_per_request,
      max_content_length: Ahoy.max_content_length,
    }
  end

  def add_fault
    names = %w[path contains times delay status after hangup echo headers body]
    fault = {"times" => 1}.merge(request.request_parameters.slice(*names).to_h)
    Recorder::LOCK.synchronize { Recorder::FAULTS << fault }
    render json: fault
  end

  def clear_faults
    Recorder::LOCK.synchronize { Recorder::FAULTS.clear }
    render json: {}
  end
end
