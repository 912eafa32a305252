# Stands in for the gem's own controllers where they are not to be had. The gem's tracker and store do the work; this has
# the checks of the API around them, with the answers of gem 5.2 and later.
class AhoyApiController < ApplicationController
  skip_before_action :track_ahoy_visit, :set_ahoy_cookies, raise: false
  protect_from_forgery with: :null_session
  before_action :check_length, :check_tokens

  def create_visit
    tracker.track_visit
    visit, visitor = tracker.visit_token, tracker.visitor_token
    render json: {visit_token: visit, visitor_token: visitor, visit_id: visit, visitor_id: visitor}
  end

  def create_events
    batch = params_of_events
    batch = batch.first(Ahoy.max_events_per_request) if batch.is_a?(Array)
    return refuse("Invalid parameters", 400) unless batch.is_a?(Array) && batch.all?(Hash)

    batch.each do |event|
      tracker.track(event["name"], event["properties"], {id: event["id"], time: moment(event["time"])})
    end
    render json: {}
  end

  private

  # For the API, the tokens of a request count, and not those of cookies.
  def tracker
    @tracker ||= Ahoy::Tracker.new(controller: self, api: true)
  end

  # A name at the root makes the body one event.
  def params_of_events
    sent = request.params
    sent["name"].present? ? [sent] : sent["events"]
  end

  def moment(value)
    return Time.zone.at(value) if value.is_a?(Numeric)

    Time.zone.parse(value.to_s)
  rescue ArgumentError
    nil
  end

  def check_length
    refuse("Payload too large", 413) if request.content_length > Ahoy.max_content_length
  end

  def check_tokens
    refuse("Missing required parameters", 400) if tracker.send(:missing_params?)
  end

  def refuse(text, status)
    render plain: "#{text}\n", status: status
  end
end
