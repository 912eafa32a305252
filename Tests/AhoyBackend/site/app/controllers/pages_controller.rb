# A page of a site that uses the gem: what is sent through the proxy goes to one of these.
class PagesController < ApplicationController
  skip_forgery_protection

  def show
    ahoy.track("page.view", path: request.path)
    names = %w[Ahoy-Visit Ahoy-Visitor X-Visitor-Id]
    render json: {
      fields: names.to_h { |name| [name, request.headers[name]] }, new_visit: ahoy.new_visit?,
      visit_token: ahoy.visit_token, visitor_token: ahoy.visitor_token, current_visit: current_visit&.as_json,
    }
  end
end
