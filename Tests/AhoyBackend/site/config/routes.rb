Rails.application.routes.draw do
  get "/up", to: proc { [200, {"Content-Type" => "text/plain"}, ["ok #{Process.pid}\n"]] }
  match "/page", to: "pages#show", via: [:get, :post]
  get "/_site", to: "site#show"
  post "/_site/faults", to: "site#add_fault"
  delete "/_site/faults", to: "site#clear_faults"

  # The engine brings its own routes along with its own controllers.
  unless File.directory?(File.join(Ahoy::Engine.root, "app/controllers/ahoy"))
    post "/ahoy/visits", to: "ahoy_api#create_visit"
    post "/ahoy/events", to: "ahoy_api#create_events"
  end
end
